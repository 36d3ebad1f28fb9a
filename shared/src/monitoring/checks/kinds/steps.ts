import { HTTP_PROTOCOLS } from '../limits.ts'
import { VERIFY_TLS } from './common.ts'
import type { CheckKindSpec, FactSpec } from './kind.ts'
import { mapSentOfSteps, MAX_STEPS, stepDestinations, stepFaults } from './steps-input.ts'
import { OVER_HTTP } from '../network-use.ts'

export { fillIn, MAX_CAPTURES, MAX_STEPS, type Step, type StepCapture, stepsIn } from './steps-input.ts'

const stepFact = (number: number): [string, FactSpec] => [
  `step_${number}`,
  { label: `Step ${number}`, operators: ['contains', 'not_contains'], valueKinds: ['string'] },
]

export const steps = {
  label: 'HTTP steps',
  description: `Sends up to ${MAX_STEPS} requests, one after the other, and takes values of one response into the next request.`,
  protocols: HTTP_PROTOCOLS,
  example: 'https://shop.example.com/',
  network: OVER_HTTP,
  options: {
    steps: { label: 'Steps', form: 'own', sent: mapSentOfSteps },
    follow_redirects: { label: 'Follow redirects', form: 'boolean', default: true },
    verify_tls: VERIFY_TLS,
  },
  credentials: {
    username: { label: 'User name', hint: '{{username}} in a step', maxLength: 1_024, sentTo: stepDestinations },
    password: { label: 'Password', hint: '{{password}} in a step', maxLength: 1_024, sentTo: stepDestinations },
    token: { label: 'Token', hint: '{{token}} in a step', maxLength: 4_000, sentTo: stepDestinations },
  },
  observes: ['status', 'headers', 'text', 'certificate', 'url'],
  facts: Object.fromEntries(Array.from({ length: MAX_STEPS }, (_, index) => stepFact(index + 1))),
  faults: stepFaults,
} as const satisfies CheckKindSpec
