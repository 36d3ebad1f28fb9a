export { createTxtLookup, type TxtAnswer, type TxtLookup } from './lookup.ts'
export { applyLookup, type DomainState } from './schedule.ts'
