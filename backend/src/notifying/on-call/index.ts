export { onCallFeature } from './feature.ts'
export { findOnDuty } from './on-duty.ts'

export { dutiesOf, type Rota, type Shift, shiftsAt, shiftsIn } from './rota.ts'
export { changedSchedule, instantAhead } from './service.ts'
export { findMembers, peopleOf } from './store.ts'
export { scheduleResource } from './routes.ts'
