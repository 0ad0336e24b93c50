//! A problem as it is written to callers.

use mainspring_definition::Mistake;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct ProblemBody {
    pub error_code: &'static str,
    pub message: String,
    pub advice: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<MistakeView>,
    pub request_id: String,
    pub docs: String,
}

/// One mistake in a job file or in parameters.
#[derive(Clone, Debug, Serialize)]
pub struct MistakeView {
    pub code: &'static str,
    pub line: u32,
    pub column: u32,
    pub path: String,
    pub what: String,
    pub help: String,
}

impl MistakeView {
    pub(crate) fn of(mistake: &Mistake) -> Self {
        Self {
            code: mistake.code.label(),
            line: mistake.at.line,
            column: mistake.at.column,
            path: mistake.path.clone(),
            what: mistake.what.clone(),
            help: mistake.help.clone(),
        }
    }
}
