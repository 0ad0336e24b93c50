//! What can be wrong with who calls and how.

use std::fmt;

use http::StatusCode;

use super::Problem;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessProblem {
    /// Empty: the request names no host.
    HostNotAllowed {
        host: String,
    },
    OriginNotAllowed {
        origin: String,
    },
    /// The browser says that another site asked for it.
    CrossSite {
        site: String,
    },
    /// The token is missing or wrong; which is not said.
    Unauthenticated,
    /// Empty: there is a body and no type.
    MediaType {
        found: String,
        accepted: &'static [&'static str],
    },
}

impl AccessProblem {
    pub fn code(&self) -> &'static str {
        match self {
            Self::HostNotAllowed { .. } => "HOST_NOT_ALLOWED",
            Self::OriginNotAllowed { .. } | Self::CrossSite { .. } => "ORIGIN_NOT_ALLOWED",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::MediaType { .. } => "UNSUPPORTED_MEDIA_TYPE",
        }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::HostNotAllowed { .. } | Self::OriginNotAllowed { .. } | Self::CrossSite { .. } => {
                StatusCode::FORBIDDEN
            }
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::MediaType { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::HostNotAllowed { .. } => {
                "call the server by its address, or start it with `--allow-host NAME`".into()
            }
            Self::OriginNotAllowed { .. } | Self::CrossSite { .. } => {
                "web pages of other sites may not call this server; call it from a program, or open it directly"
                    .into()
            }
            Self::Unauthenticated => {
                "give the token of the server: `--token-file FILE`, `MAINSPRING_TOKEN`, or `Authorization: Bearer TOKEN`"
                    .into()
            }
            Self::MediaType { accepted, .. } => format!("send `Content-Type: {}`", accepted.join("` or `")),
        }
    }
}

impl fmt::Display for AccessProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HostNotAllowed { host } if host.is_empty() => f.write_str("the request names no host"),
            Self::HostNotAllowed { host } => write!(f, "this server does not answer to the name `{host}`"),
            Self::OriginNotAllowed { origin } => write!(f, "pages of `{origin}` may not call this server"),
            Self::CrossSite { site } => write!(f, "a page of another site asked for this (`{site}`)"),
            Self::Unauthenticated => f.write_str("the token is missing or wrong"),
            Self::MediaType { found, .. } if found.is_empty() => {
                f.write_str("the request has a body and no content type")
            }
            Self::MediaType { found, .. } => write!(f, "this route does not read `{found}`"),
        }
    }
}

impl From<AccessProblem> for Problem {
    fn from(problem: AccessProblem) -> Self {
        Self::Access(problem)
    }
}
