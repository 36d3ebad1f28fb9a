export { findBound, refuseOverBound, refuseOverPlan, refuseShortIntervals, setPlan } from './service.ts'
export { findPlan } from './store.ts'
