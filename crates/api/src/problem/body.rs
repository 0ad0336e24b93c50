//! A problem as it is written to callers.

use mainspring_definition::Mistake;
use serde::Serialize;

/// Every refusal has this shape
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Error"))]
pub struct ProblemBody {
    #[cfg_attr(test, schemars(schema_with = "crate::docs::error_code"))]
    pub error_code: &'static str,
    pub message: String,
    pub advice: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// With `JOB_FILE_INVALID`, `PARAMETERS_INVALID` and `SCHEDULE_INVALID`: all of them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<MistakeView>,
    pub request_id: String,
    /// Path of the error's page
    pub docs: String,
}

/// One mistake in a job file or in parameters.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Mistake"))]
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
