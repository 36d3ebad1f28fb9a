import { BEARER_TOKEN, controlFaults, pathFaults, VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TCP } from '../network-use.ts'

export const grpc = {
  label: 'gRPC',
  description: 'Asks a gRPC server for the health of a service.',
  protocols: ['grpc:', 'grpcs:'],
  example: 'grpcs://api.example.com:443/shop.v1.Orders',
  network: OVER_TCP,
  options: { verify_tls: VERIFY_TLS },
  credentials: { bearer_token: BEARER_TOKEN },
  observes: ['certificate'],
  facts: {
    serving_status: { label: 'Serving status', operators: ['equals', 'not_equals'], valueKinds: ['string'] },
    grpc_status: {
      label: 'gRPC status',
      operators: ['equals', 'not_equals'],
      valueKinds: ['number'],
      bounds: { minimum: 0, maximum: 16, isWhole: true },
      initialValue: 0,
    },
  },
  faults: ({ url, credentials }) => [...pathFaults(url, 1), ...controlFaults(credentials)],
} as const satisfies CheckKindSpec
