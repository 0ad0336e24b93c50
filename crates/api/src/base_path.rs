//! A folder of a web site below which the server is reached, when a reverse proxy has others beside it.
//! - BP-1 a path below the folder and the same path without it are the same: a proxy may take the folder away or leave it,
//!   and workers and programs that do not come through the proxy need not know of it

use std::fmt;
use std::str::FromStr;

use http::Uri;
use http::uri::PathAndQuery;

const BYTES_MAX: usize = 200;

/// As `/tools/mainspring`; empty where the server has the site for itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BasePath(String);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadBasePath(String);

impl fmt::Display for BadBasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no base path: it begins with `/` and has parts of letters, digits, `.`, `_` and `-`, as \
             `/tools/mainspring`; no part begins with `ui` or `.`, and it has {BYTES_MAX} bytes at most",
            self.0
        )
    }
}

impl std::error::Error for BadBasePath {}

impl FromStr for BasePath {
    type Err = BadBasePath;

    fn from_str(text: &str) -> Result<Self, BadBasePath> {
        let path = text.trim_end_matches('/');
        let is_part = |part: &str| {
            // The console finds its folder by the `/ui` behind it.
            let starts_well = !part.is_empty() && !part.starts_with("ui") && !part.starts_with('.');
            starts_well && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        let is_path = path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_part));
        if !path.is_empty() && !is_path || path.len() > BYTES_MAX || text.is_empty() {
            return Err(BadBasePath(text.chars().take(BYTES_MAX).collect()));
        }
        Ok(Self(path.to_owned()))
    }
}

impl BasePath {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address without the folder; `None`: it is not below it.
    pub(crate) fn without(&self, uri: &Uri) -> Option<Uri> {
        let rest = uri.path_and_query()?.as_str().strip_prefix(&self.0)?;
        let rest = match rest.as_bytes().first() {
            _ if self.0.is_empty() => return None,
            Some(b'/') => rest.to_owned(),
            None | Some(b'?') => format!("/{rest}"),
            Some(_) => return None,
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(rest.parse::<PathAndQuery>().ok()?);
        Uri::from_parts(parts).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_folders_are_base_paths() {
        for (text, wanted) in [
            ("/mainspring", Some("/mainspring")),
            ("/tools/main.spring_2/", Some("/tools/main.spring_2")),
            ("/", Some("")),
            ("", None),
            ("mainspring", None),
            ("/a//b", None),
            ("/a/../b", None),
            ("/a b", None),
            ("/a?b", None),
            ("/ui", None),
            ("/uikit/x", None),
            ("/build", Some("/build")),
        ] {
            let read = text.parse::<BasePath>().ok();
            assert_eq!(read.as_ref().map(BasePath::as_str), wanted, "{text}");
        }
        assert!(format!("/{}", "x".repeat(200)).parse::<BasePath>().is_err());
    }

    #[test]
    fn the_folder_is_taken_away_once_and_only_as_a_whole() {
        let base: BasePath = "/m".parse().expect("a base path");
        for (uri, wanted) in [
            ("/m/v1/tasks?x=/m/", Some("/v1/tasks?x=/m/")),
            ("/m", Some("/")),
            ("/m?x=1", Some("/?x=1")),
            ("/m/m/v1", Some("/m/v1")),
            ("/mm/v1", None),
            ("/v1/m", None),
            ("http://host:1/m/v1", Some("http://host:1/v1")),
        ] {
            let without = base.without(&uri.parse().expect("an address"));
            assert_eq!(without.map(|uri| uri.to_string()), wanted.map(str::to_owned), "{uri}");
        }
        assert_eq!(BasePath::default().without(&"/v1".parse().expect("an address")), None);
    }
}
