import type { ClaimsAnswer, ClaimsBody, ProbeResultsAnswer, ProbeResultsBody } from '../monitoring/probes.ts'
import type { RegionList } from '../monitoring/monitors.ts'
import type { Static } from 'typebox'

const CLAIM = '1.17.1795252216000'

export const PROBE_EXAMPLES = {
  RegionList: {
    example: {
      regions: [{ id: 'local', name: 'local', status: 'online', control_targets: [{ type: 'gateway', address: '192.0.2.1' }] }],
    } satisfies Static<typeof RegionList>,
  },
  ClaimsBody: {
    example: { worker_id: '0b3b1e0c-5a6f-4f0e-9c3c-6f2f3f6b3a51', wait_seconds: 25 } satisfies ClaimsBody,
  },
  ClaimsAnswer: {
    example: {
      region: 'eu-west',
      server_time: '2026-11-21T09:10:16.000Z',
      in_flight: 64,
      checks: [
        {
          claim: CLAIM,
          due_in_ms: 1_250,
          next_due_in_ms: 31_250,
          lease_ms: 16_250,
          definition: {
            type: 'http',
            url: 'https://shop.example.com/health',
            method: 'GET',
            headers: {},
            body: null,
            timeout: 10,
            follow_redirects: true,
            verify_tls: true,
            options: {},
            credentials: {},
            assertions: [{ type: 'status_code', operator: 'equals', value: 200 }],
          },
        },
      ],
    } satisfies ClaimsAnswer,
  },
  ProbeResultsBody: {
    example: {
      results: [
        {
          claim: CLAIM,
          checked_at: '2026-11-21T09:10:17.250Z',
          ended_at: '2026-11-21T09:10:17.334Z',
          outcome: 'up',
          status_code: 200,
          response_ms: 84.2,
          dns_ms: 1.3,
          connect_ms: 20.4,
          tls_ms: 41.7,
          first_byte_ms: 20.1,
          transfer_ms: 0.7,
          error: null,
          address: '192.0.2.80',
          http_version: '1.1',
          certificate: null,
          delayed: false,
        },
        {
          claim: '1.18.1795252216000',
          checked_at: '2026-11-21T09:10:18.250Z',
          ended_at: '2026-11-21T09:10:18.281Z',
          outcome: 'down',
          status_code: 503,
          response_ms: 31.4,
          dns_ms: 1.1,
          connect_ms: 9.8,
          tls_ms: null,
          first_byte_ms: 20.2,
          transfer_ms: 0.3,
          error: { code: 'status', message: 'status 503 (expected 200–399)' },
          address: '192.0.2.80',
          http_version: '1.1',
          certificate: null,
          delayed: false,
          answer: { status_line: 'HTTP/1.1 503 Service Unavailable', body: 'down for maintenance' },
        },
      ],
    } satisfies ProbeResultsBody,
  },
  ProbeResultsAnswer: { example: { accepted: 1, refused: 0 } satisfies ProbeResultsAnswer },
}
