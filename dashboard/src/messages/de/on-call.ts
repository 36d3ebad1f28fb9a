import type { onCall as english } from '../en/on-call.ts'
import type { Translation } from '../translation.ts'

export const onCall: Translation<typeof english> = {
  policy: 'Eskalationsplan',
  noPolicy: 'Keiner: die Kanäle unten benachrichtigen',
  policyHint: 'Er sagt, wer benachrichtigt wird und wer danach, solange niemand bestätigt.',
}
