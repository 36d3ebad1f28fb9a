import { ALL_FIELDS, ENTITY_KIND_NAMES, ENTITY_KINDS } from '@vedette/shared'
import { encodeBinaryBatch, encodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import { ENTITY_BOUNDS, greatestSampleOf, STATE_BOUNDS } from '@vedette/shared/bounds'
import { describe, expect, it } from 'vitest'
import { PushFault } from './faults.ts'
import { head, NOW, overJson, parse } from './test-push.ts'

const FORMS: [string, (state: object) => unknown][] = [
  ['JSON', (state) => overJson({ batches: [{ ...head, columns: { at_ms: [NOW] }, ...state }] })],
  [
    'the binary form',
    (state) =>
      encodeBinaryPush({}, [
        encodeBinaryBatch({ ...head, ...state }, { atMs: Float64Array.of(NOW), fieldIds: [1], values: Float64Array.of(100) }),
      ]),
  ],
]

/** An agent leaves out what these paths name, and nothing else. */
function refusedPaths(body: unknown): string[] {
  try {
    parse(body)
    return []
  } catch (error) {
    if (error instanceof PushFault) return error.details.map(({ path }) => path)
    throw error
  }
}

describe.each(FORMS)('a refused push in %s', (_form, bodyOf) => {
  it.each(ENTITY_KIND_NAMES)('names the value of %s that is too large, and is accepted without it', (kind) => {
    for (const field of Object.keys(ENTITY_KINDS[kind].fields)) {
      const bounds = ENTITY_BOUNDS[kind]
      expect(bounds.type === 'object' && bounds.properties['values']).toHaveProperty(['properties', field])
      const entitiesWith = (values: object) => [
        { kind, name: 'one', values: {} },
        { kind, name: 'two', values },
      ]
      const tooLarge = kind === 'metric' ? 'text' : 4.6e260
      expect(refusedPaths(bodyOf({ entities: entitiesWith({ [field]: tooLarge }) }))).toEqual([
        `batches.0.entities.1.values.${field}`,
      ])
      expect(refusedPaths(bodyOf({ entities: entitiesWith({}) }))).toEqual([])
    }
  })

  it('names the text with half a character, and the entry of a list', () => {
    const filesystem = { mount: '/', fs_type: 'ext4', used_bytes: 1, total_bytes: 2, percent: 50 }
    expect(STATE_BOUNDS.type === 'object' && STATE_BOUNDS.properties).toHaveProperty('filesystems')
    expect(refusedPaths(bodyOf({ filesystems: [filesystem, { ...filesystem, mount: '\ud83d' }] }))).toEqual([
      'batches.0.filesystems.1.mount',
    ])
    expect(refusedPaths(bodyOf({ host: { uptime_seconds: 2 ** 63 } }))).toEqual(['batches.0.host.uptime_seconds'])
  })
})

it.each(ALL_FIELDS.map((field) => [`${field.group}.${field.name}`, field] as const))(
  'of %s the greatest value of an agent is accepted, and a greater one is rejected with its sample alone',
  (_name, field) => {
    const at = new Date(NOW).toISOString()
    const codes = (value: number) =>
      parse({ ...head, samples: [{ at, [field.group]: { [field.name]: value } }] }).rejected.map(({ code }) => code)
    expect(codes(greatestSampleOf(field))).toEqual([])
    expect(codes(greatestSampleOf(field) * 1.01)).toEqual(['invalid_value'])
    expect(codes(-1)).toEqual(['invalid_value'])
  },
)
