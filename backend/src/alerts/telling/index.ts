export { CHANNEL_KINDS } from './kinds/index.ts'
export { type Connect, createRequester } from './request.ts'
export { createSender, type Sender } from './sender.ts'
export { type IncidentStep, tell } from './tell.ts'
