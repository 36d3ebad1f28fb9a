export { createLanes, type Lanes } from './lanes.ts'
export { abandonJob, attemptJob, completeJob, drainQueue, enqueue, type Queue, type QueueDeps } from './queue.ts'
export { deleteJobs, type Job, leaseJobs, lockPendingKeys, takeJobs } from './queue-store.ts'
export { RETRY_FOR_MS } from './retry.ts'
