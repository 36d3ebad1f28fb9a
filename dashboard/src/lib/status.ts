import { messages } from '../messages/index.ts'

/** The name of a status, severity or outcome; an unknown one is shown by its API name. */
export const statusName = (status: string): string => messages.status[status] ?? status
