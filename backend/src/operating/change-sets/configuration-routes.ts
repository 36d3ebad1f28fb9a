import {
  Configuration,
  ConfigurationComparison,
  ConfigurationQuery,
  ConfigurationYaml,
  CreateChangeSetBody,
  Drift,
  DriftQuery,
  MAX_CHANGE_SET_BYTES,
  Ref,
} from '@vedette/shared'
import type { RouteDeps } from '../../access/auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { getConfiguration, getDrift } from './configuration.ts'
import { compareConfiguration } from './propose.ts'
import { validating } from './routes.ts'
import { configurationSchema } from './schema.ts'
import type { ChangeSetDeps } from './deps.ts'
import { toYaml } from './yaml.ts'

const tags = ['configuration']

export function configurationRoutes(app: App, deps: ChangeSetDeps & RouteDeps): void {
  const { principalOf } = deps

  app.get('/schemas/configuration.json', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=3600').type('application/schema+json; charset=utf-8')
    return JSON.stringify(configurationSchema(deps.kinds))
  })

  app.get(
    '/v1/drift',
    {
      schema: {
        operationId: 'getDrift',
        summary: 'List what was changed by hand',
        description: 'Resources of an owner that are not as it last applied them, with what differs and who changed them last.',
        tags,
        querystring: DriftQuery,
        response: { 200: Ref(Drift) },
      },
      config: { access: 'read' },
    },
    async (request) => getDrift(deps, principalOf(request), request.query.owner),
  )

  app.post(
    '/v1/configuration/compare',
    {
      bodyLimit: MAX_CHANGE_SET_BYTES,
      schema: {
        operationId: 'compareConfiguration',
        summary: 'Compare a configuration with what there is',
        description: 'Answers what a proposal of it would change, and stores none.',
        tags,
        body: Ref(CreateChangeSetBody),
        response: { 200: Ref(ConfigurationComparison) },
      },
      config: { access: 'read', idempotent: false },
    },
    async (request) => compareConfiguration(deps, principalOf(request), request.body, validating(request)),
  )

  app.get(
    '/v1/configuration',
    {
      schema: {
        operationId: 'getConfiguration',
        summary: 'Get the configuration',
        description:
          'All resources as a change set takes them: references by `ref`, secrets as `{ "from": "env:NAME" }`. With `format=yaml` as documents of YAML.',
        tags,
        querystring: ConfigurationQuery,
        response: {
          200: {
            description: 'The format that was chosen',
            content: {
              'application/json': { schema: Ref(Configuration) },
              'application/yaml': { schema: Ref(ConfigurationYaml) },
            },
          },
        },
      },
      config: { access: 'read' },
    },
    async (request, reply) => {
      const configuration = await getConfiguration(deps, principalOf(request), request.query)
      if (request.query.format !== 'yaml') return configuration
      reply.type('application/yaml; charset=utf-8').serializer((text: string) => text)
      return toYaml(configuration)
    },
  )
}
