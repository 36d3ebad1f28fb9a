export { giveBackReferences, type References, takeOutChannel, takeOutPolicy, takeOutSchedule } from './references.ts'
export { assignToRulesWithoutChannels, lockReferences } from './store.ts'
