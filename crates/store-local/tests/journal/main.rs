//! The journal on disks that tear, flip, fill up, fail or lose their process.

mod damage;
mod failing;
mod faulty;
mod kill;
mod owner;
