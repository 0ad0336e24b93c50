//! Runs seeds from the command line: `seeds FROM TO [BREAK] [trace]`; `mainspring sim` is the real door.
use mainspring_sim::{Options, run_break_modes, run_range};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|text| text.parse().ok()).unwrap_or(0);
    let break_mode = args.get(2).and_then(|text| text.parse().ok());
    let trace = args.last().is_some_and(|last| last == "trace");
    let twice = args.last().is_some_and(|last| last == "twice");
    if args.get(2).is_some_and(|text| text == "breaks") {
        for (mode, violation) in run_break_modes(number(0)..number(1)) {
            println!("{:<26}{}", mode.name(), violation.map_or("NOT CAUGHT".into(), |v| v.to_string()));
        }
        return;
    }
    let options = Options { seeds: number(0)..number(1), break_mode, trace, twice };
    println!("{}", run_range(&options, &mut |_| {}));
}
