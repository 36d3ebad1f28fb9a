export { refuseOverPlan, setPlan } from './service.ts'
export { findPlan } from './store.ts'
