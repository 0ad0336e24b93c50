//! A task, a schedule or the work of an operation as a row of the tables: read or refused; what is read is written back as the same bytes.

use mainspring_store::format::{
    EncodedProfiles, ProfileCache, read_operation_work, read_schedule, read_task, write_operation_work,
    write_schedule, write_task,
};

use super::golden;

pub fn run(bytes: &[u8]) {
    if let Ok(task) = read_task(bytes, &mut ProfileCache::default()) {
        let mut written = Vec::new();
        write_task(&mut written, &task, &mut EncodedProfiles::default());
        assert!(written == bytes, "written back differently: {task:?}");
    }
    if let Ok(schedule) = read_schedule(bytes, &mut ProfileCache::default()) {
        let mut written = Vec::new();
        write_schedule(&mut written, &schedule, &mut EncodedProfiles::default());
        assert!(written == bytes, "written back differently: {schedule:?}");
    }
    if let Ok(work) = read_operation_work(bytes) {
        let mut written = Vec::new();
        write_operation_work(&mut written, &work);
        assert!(written == bytes, "written back differently: {work:?}");
    }
}

pub fn corpus() -> Vec<Vec<u8>> {
    let rows = golden::files("task_");
    for row in &rows {
        assert!(read_task(row, &mut ProfileCache::default()).is_ok(), "a golden row is read");
    }
    let schedules = golden::files("schedule_");
    for row in &schedules {
        assert!(read_schedule(row, &mut ProfileCache::default()).is_ok(), "a golden row is read");
    }
    let works = golden::files("operation_work_");
    for work in &works {
        assert!(read_operation_work(work).is_ok(), "golden work is read");
    }
    [rows, schedules, works].concat()
}
