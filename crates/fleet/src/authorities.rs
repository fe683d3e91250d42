//! Authorities: whose signature under a server's certificate is believed on this machine.
//!
//! One rule for every connection: what `SSL_CERT_FILE` and `SSL_CERT_DIR` name; where they name nothing that holds a
//! certificate, what the system keeps; where it keeps none, the caller's own list (the one that browsers believe).

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

const FILE_BYTES_MAX: u64 = throughline_domain::limits::AUTHORITIES_BYTES_MAX;
/// Files of one folder that are looked at: Debian's has three names for each of 150 authorities.
const FOLDER_FILES_MAX: usize = 2_000;
/// Where systems keep the authorities they believe, a company's own among them.
const SYSTEM_FILES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/opt/homebrew/etc/ca-certificates/cert.pem",
];

/// What the environment names instead of the system's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    file: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Named {
    /// From the values of `SSL_CERT_FILE` and `SSL_CERT_DIR` (folders, with `:` in between); an empty one is none.
    #[must_use]
    pub fn new(file: Option<&OsStr>, folders: Option<&OsStr>) -> Self {
        let folders = folders.map(|folders| std::env::split_paths(folders).collect()).unwrap_or_default();
        let file = file.map(PathBuf::from).filter(|file| !file.as_os_str().is_empty());
        Self { file, folders }
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.file.clone().into_iter().chain(self.folders.iter().flat_map(|folder| files_in(folder)))
    }
}

/// The authorities that are believed here; none where neither the environment nor the system has any.
#[must_use]
pub fn believed(named: &Named) -> Vec<CertificateDer<'static>> {
    named_or_first(named, &SYSTEM_FILES.map(Path::new))
}

fn named_or_first(named: &Named, system: &[&Path]) -> Vec<CertificateDer<'static>> {
    let mut seen = HashSet::new();
    let own = named.files().flat_map(|file| in_file(&file).unwrap_or_default());
    // A folder has each of them under several names.
    let own: Vec<_> = own.filter(|certificate| seen.insert(certificate.clone())).collect();
    if !own.is_empty() {
        return own;
    }
    let of_system = system.iter().filter_map(|file| in_file(file).ok());
    of_system.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// The certificates in a file, in PEM form.
pub(crate) fn in_file(file: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    // To open a pipe would wait for somebody who writes to it.
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut pem = Vec::new();
    File::open(file)?.take(FILE_BYTES_MAX).read_to_end(&mut pem)?;
    Ok(CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok).collect())
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.take(FOLDER_FILES_MAX).map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use throughline_testkit::TempHome;

    use super::*;

    fn pem(body: &str) -> String {
        format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n")
    }

    fn bytes(found: &[CertificateDer<'_>]) -> Vec<Vec<u8>> {
        found.iter().map(|it| it.to_vec()).collect()
    }

    #[test]
    fn what_the_environment_names_is_believed_instead_of_the_systems() {
        let home = TempHome::new();
        let system = home.write("system.pem", &pem("AQ=="));
        let file = home.write("company.pem", &pem("Ag=="));
        let first = home.write("one/3f9a.0", &pem("Aw=="));
        home.write("one/again.pem", &pem("Aw=="));
        let second = home.write("two/other.pem", &pem("BA=="));
        let folders = std::env::join_paths([&first, &second].map(|it| it.parent().unwrap())).unwrap();
        let found = |file: Option<&OsStr>, folders: Option<&OsStr>| {
            bytes(&named_or_first(&Named::new(file, folders), &[&system]))
        };
        assert_eq!(found(None, None), [[1]]);
        assert_eq!(found(Some(file.as_os_str()), None), [[2]]);
        assert_eq!(found(None, Some(&folders)), [[3], [4]], "each once");
        assert_eq!(found(Some(file.as_os_str()), Some(&folders)), [[2], [3], [4]]);
    }

    #[test]
    fn a_name_that_leads_to_no_certificate_leaves_the_systems_first_list() {
        let home = TempHome::new();
        let empty = home.write("empty.pem", "no certificate\n");
        let system = home.write("system.pem", &pem("AQ=="));
        let later = home.write("later.pem", &pem("Ag=="));
        let absent = home.root().join("absent.pem");
        for named in ["", "/no/such/file"]
            .map(OsStr::new)
            .into_iter()
            .chain([empty.as_os_str(), home.root().as_os_str()])
        {
            let found = named_or_first(&Named::new(Some(named), None), &[&absent, &empty, &system, &later]);
            assert_eq!(bytes(&found), [[1]], "{}", named.display());
        }
        assert!(named_or_first(&Named::default(), &[&absent]).is_empty());
    }
}
