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

const SAMPLE = 'node_load1{instance="web-1",server_id="srv_01m7ynqmvhef3v0qj0h7d9m2cs"} 0.11\n'

export const PrometheusText = Type.String({
  $id: 'PrometheusText',
  description: 'Samples without timestamps, with HELP and TYPE of each family',
  examples: [`# HELP node_load1 Load, mean of 1 minute.\n# TYPE node_load1 gauge\n${SAMPLE}`],
})

export const OpenMetricsText = Type.String({
  $id: 'OpenMetricsText',
  description: 'The same, with UNIT where a family has one, and `# EOF` at the end',
  examples: [`# TYPE node_load1 gauge\n# HELP node_load1 Load, mean of 1 minute.\n${SAMPLE}# EOF\n`],
})
