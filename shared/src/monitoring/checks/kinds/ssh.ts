import { pathFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TCP } from '../network-use.ts'

const TEXT = ['equals', 'not_equals', 'contains', 'not_contains'] as const

export const ssh = {
  label: 'SSH',
  description: 'Reads the version of an SSH server and its host key, which must prove itself. Nobody logs in.',
  protocols: ['ssh:'],
  example: 'ssh://bastion.example.com:22',
  network: OVER_TCP,
  options: {
    host_key: {
      label: 'Host key',
      hint: 'Which of the keys of the server; any: ed25519 if there is one, else ecdsa, else rsa',
      form: 'choice',
      choices: ['any', 'ed25519', 'ecdsa', 'rsa'],
      default: 'any',
    },
  },
  credentials: {},
  observes: ['text'],
  facts: {
    fingerprint: {
      label: 'Fingerprint',
      operators: ['equals', 'not_equals'],
      valueKinds: ['string'],
      initialValue: 'SHA256:',
    },
    host_key_type: { label: 'Type of the host key', operators: TEXT, valueKinds: ['string'], initialValue: 'ssh-ed25519' },
    software: { label: 'Software', operators: TEXT, valueKinds: ['string'], initialValue: 'OpenSSH' },
  },
  faults: ({ url }) => pathFaults(url),
} as const satisfies CheckKindSpec
