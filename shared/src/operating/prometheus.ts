import { type Static, Type } from 'typebox'
import { MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'

export const PrometheusQuery = Type.Object(
  {
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
        maxItems: MAX_TAGS,
        description: 'Only those with this tag; repeat it to require several tags',
      }),
    ),
  },
  { additionalProperties: false },
)
export type PrometheusQuery = Static<typeof PrometheusQuery>

export const PrometheusText = Type.String({
  $id: 'PrometheusText',
  description: 'Samples without timestamps, with HELP and TYPE of each family',
})

export const OpenMetricsText = Type.String({
  $id: 'OpenMetricsText',
  description: 'The same, with UNIT where a family has one, and `# EOF` at the end',
})
