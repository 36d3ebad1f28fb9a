export { memberFeature } from './feature.ts'

export { addMember } from './join.ts'

export { setProvidedRole } from './service.ts'
export { countMembers, findMembersByEmail, insertMembership } from './store.ts'
