//! Setting agents up: which are meant, what is edited for each, and how that is taken back.

pub(in crate::commands) mod chosen;
pub(in crate::commands) mod client_file;
pub(in crate::commands) mod leaving;
pub(crate) mod own_program;
pub(in crate::commands) mod places;
pub(in crate::commands) mod planned;
pub(in crate::commands) mod sections;
pub(in crate::commands) mod table;
