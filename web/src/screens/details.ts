// The pages that show one, with graph and log, and the guides. Loaded together: a chunk more would be a request more for all.

export { default as Run } from './run';
export { default as Job } from './job';
export { default as Schedule } from './schedule';
export { default as Task } from './task';
export { default as Guides } from './guides';
export { default as Worker } from './worker';
export { default as Operations } from './operations';
