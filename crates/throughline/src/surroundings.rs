//! The environment: read here and nowhere below, and handed down as a value.

use throughline_engine::place::{Place, Surroundings};
use throughline_fleet::authorities::Named;

use crate::commands::setup::own_program;

/// What the rest of the program may ask of the system.
pub(crate) const AROUND: Surroundings = Surroundings {
    var: |name| std::env::var_os(name),
    all_vars: texts,
    current_folder: || std::env::current_dir().ok(),
    own_command: own_program::own_command,
};

/// The user's folders; `None` when the environment names none to keep anything in.
pub(crate) fn place() -> Option<Place> {
    Place::of(AROUND)
}

fn texts() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The authorities that the environment names, for every connection that looks at a certificate.
pub(crate) fn named_authorities() -> Named {
    Named::new(std::env::var_os("SSL_CERT_FILE").as_deref(), std::env::var_os("SSL_CERT_DIR").as_deref())
}
