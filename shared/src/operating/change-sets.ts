import { type Static, Type } from 'typebox'
import { AuditActor } from '../access/audit.ts'
import { IdOf } from '../wire/ids.ts'
import { FileText, Line, OwnerText, RefText } from '../wire/managed.ts'
import { InstantText, LaterTimestamp, Nullable, PageAnswer, PageQuery, Ref, Timestamp } from '../wire/wire.ts'
import {
  CHANGE_ACTIONS,
  CHANGE_SET_DAYS,
  CHANGE_SET_STATES,
  CONFIGURATION_KINDS,
  MAX_CHANGE_SET_RESOURCES,
  PROPOSAL_HOURS,
} from './change-set-choices.ts'

export const ConfigurationKindName = Type.Enum([...CONFIGURATION_KINDS], {
  $id: 'ConfigurationKindName',
  description:
    'What a resource of the configuration is; `server_settings`: the name, tags and dependencies of a server that registered',
  examples: ['monitor'],
})

export const ConfigurationSource = Type.Object(
  { file: FileText, line: Line },
  { $id: 'ConfigurationSource', description: 'Where a resource stands in the files', additionalProperties: false },
)

const Spec = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'the body that creates the resource; for `server_settings` that of its change. Where an id stands there may be ' +
    '`{ "ref": "<kind>:<ref>" }`. Omitted fields have their defaults; an omitted secret, `•••` and `{ "from": "env:NAME" }` keep the stored one',
  examples: [{ name: 'Checkout', url: 'https://shop.example.com/checkout', interval: 30 }],
})

export const ConfigurationResource = Type.Object(
  { kind: Ref(ConfigurationKindName), ref: RefText, spec: Spec, source: Type.Optional(Ref(ConfigurationSource)) },
  { $id: 'ConfigurationResource', description: 'One resource of the configuration', additionalProperties: false },
)
export type ConfigurationResource = Static<typeof ConfigurationResource>

export const CreateChangeSetBody = Type.Object(
  {
    owner: OwnerText,
    prune: Type.Optional(
      Type.Boolean({ description: 'whether resources of the owner that are not in `resources` are deleted. Default false' }),
    ),
    confirm_deletes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_CHANGE_SET_RESOURCES,
        description: 'the number of deletions, required for more than 20 or more than 10 % of the resources of the owner',
        examples: [25],
      }),
    ),
    resources: Type.Array(Ref(ConfigurationResource), { maxItems: MAX_CHANGE_SET_RESOURCES }),
  },
  { $id: 'CreateChangeSetBody', description: 'A configuration that is wanted', additionalProperties: false },
)
export type CreateChangeSetBody = Static<typeof CreateChangeSetBody>

export const Difference = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer into the spec', examples: ['/interval'] }),
    from: Type.Optional(Type.Unsafe<unknown>({ description: 'before; absent where there was nothing', examples: [60] })),
    to: Type.Optional(Type.Unsafe<unknown>({ description: 'after; absent where there is nothing any more', examples: [30] })),
  },
  { $id: 'Difference', description: 'A field that changes; secrets are shown as `•••`' },
)
export type Difference = Static<typeof Difference>

const StepSpec = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'the whole resource, without its secrets; null: there is none',
  examples: [{ name: 'Checkout', interval: 60 }],
})

export const ChangeStep = Type.Object(
  {
    action: Type.Enum([...CHANGE_ACTIONS], {
      description: '`adopt`: a resource that is managed nowhere, of the same kind and name, is taken over',
      examples: ['update'],
    }),
    kind: Ref(ConfigurationKindName),
    ref: Nullable(Type.String({ description: 'null: managed nowhere', examples: ['shop/checkout'] })),
    id: Nullable(Type.String({ description: 'null until it is created', examples: ['mon_01m7ynqmvhef3v0qj0h7d9m2cs'] })),
    before: StepSpec,
    after: StepSpec,
    differences: Type.Array(Ref(Difference)),
    says: Type.String({ description: 'in words', examples: ['Checkout: interval 60 → 30'] }),
    refused: Nullable(
      Type.String({ description: 'why it cannot be applied; null: it can', examples: ['spec.url: is required'] }),
      null,
    ),
  },
  { $id: 'ChangeStep', description: 'What happens to one resource' },
)
export type ChangeStep = Static<typeof ChangeStep>

const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [1] })
export const ChangeSummary = Type.Object(
  {
    create: Count('resources that are created'),
    update: Count('resources that change, those that are taken over among them'),
    delete: Count('resources that are deleted'),
    unchanged: Count('resources that are as they should be'),
    refused: Count('steps that cannot be applied'),
    moved: Count('resources that are as they should be, and stand elsewhere in the files now'),
  },
  { $id: 'ChangeSummary', description: 'How many resources a change set changes' },
)
export type ChangeSummary = Static<typeof ChangeSummary>

export const ChangeSetStateName = Type.Enum([...CHANGE_SET_STATES], {
  $id: 'ChangeSetStateName',
  description: '`undone`: another change set has taken it back; `expired`: it was not applied in time',
  examples: ['applied'],
})

const ChangeSetFields = {
  id: IdOf('changeSet'),
  owner: Nullable(OwnerText),
  state: Ref(ChangeSetStateName),
  base: Nullable(Type.String({ description: 'etag of what the steps start from; null: made by hand', examples: ['"5f1d0a3c"'] })),
  created_at: Timestamp,
  created_by: Ref(AuditActor),
  expires_at: Nullable({ ...LaterTimestamp, description: `${PROPOSAL_HOURS} hours after its proposal; null once it is applied` }),
  applied_at: Nullable(Timestamp),
  applied_by: Type.Union([Ref(AuditActor), Type.Null()]),
  undoes: Nullable(IdOf('changeSet', 'the change set that it takes back'), null),
  undone_by: Nullable(IdOf('changeSet', 'the change set that took it back'), null),
  summary: Ref(ChangeSummary),
}

export const ChangeSetItem = Type.Object(
  {
    ...ChangeSetFields,
    says: Type.Array(Type.String({ examples: ['Checkout: interval 60 → 30'] }), { description: 'the first five steps in words' }),
  },
  { $id: 'ChangeSetItem', description: 'A change set in a list' },
)
export type ChangeSetItem = Static<typeof ChangeSetItem>

const Warnings = Type.Array(
  Type.String({
    examples: ['Checkout: its secrets cannot be decrypted with the secrets of this installation: enter them again'],
  }),
  { description: 'what somebody should know, in words' },
)

export const ChangeSet = Type.Object(
  {
    ...ChangeSetFields,
    steps: Type.Array(Ref(ChangeStep)),
    warnings: Warnings,
    undo_warnings: Type.Array(
      Type.String({ examples: ['Shop: if its password was changed, the earlier one is not brought back'] }),
      { description: 'what an undo would not bring back now; empty where there is nothing to undo' },
    ),
  },
  { $id: 'ChangeSet', description: `Changes that are applied together or not at all; kept for ${CHANGE_SET_DAYS} days` },
)
export type ChangeSet = Static<typeof ChangeSet>

export const ConfigurationComparison = Type.Object(
  { summary: Ref(ChangeSummary), steps: Type.Array(Ref(ChangeStep)), warnings: Warnings },
  { $id: 'ConfigurationComparison', description: 'What a change set would change; none is stored' },
)
export type ConfigurationComparison = Static<typeof ConfigurationComparison>

export const UndoChangeSetBody = Type.Object(
  {
    force: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: MAX_CHANGE_SET_RESOURCES,
        description: 'ids of resources that were changed since: those changes are overwritten',
      }),
    ),
  },
  { $id: 'UndoChangeSetBody', description: 'How a change set is taken back', additionalProperties: false, examples: [{}] },
)
export type UndoChangeSetBody = Static<typeof UndoChangeSetBody>

export const ChangeSetListQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(Type.Enum([...CHANGE_SET_STATES], { description: 'Only those in this state' })),
    owner: Type.Optional(Type.String({ maxLength: 100, description: 'Only those of this owner' })),
    resource: Type.Optional(Type.String({ maxLength: 200, description: 'Only those that changed this resource: its id' })),
    from: Type.Optional(InstantText('only those made at this instant or later, ISO 8601')),
  },
  { additionalProperties: false },
)
export type ChangeSetListQuery = Static<typeof ChangeSetListQuery>

export const ChangeSetList = Type.Object(
  { change_sets: Type.Array(Ref(ChangeSetItem)), ...PageAnswer },
  { $id: 'ChangeSetList', description: 'A page of change sets, newest first' },
)
export type ChangeSetList = Static<typeof ChangeSetList>

export const DriftQuery = Type.Object({ owner: OwnerText }, { additionalProperties: false })
export type DriftQuery = Static<typeof DriftQuery>

export const DriftedResource = Type.Object(
  {
    kind: Ref(ConfigurationKindName),
    ref: RefText,
    id: Type.String({ examples: ['mon_01m7ynqmvhef3v0qj0h7d9m2cs'] }),
    changed_at: Nullable(Timestamp),
    changed_by: Type.Union([Ref(AuditActor), Type.Null()]),
    differences: Type.Array(Ref(Difference)),
  },
  { $id: 'DriftedResource', description: 'A resource that is not as its owner last applied it' },
)
export type DriftedResource = Static<typeof DriftedResource>

export const Drift = Type.Object(
  { resources: Type.Array(Ref(DriftedResource)), warnings: Warnings },
  { $id: 'Drift', description: 'What was changed since an owner last applied it' },
)
export type Drift = Static<typeof Drift>

export const ConfigurationQuery = Type.Object(
  {
    format: Type.Optional(Type.Enum(['json', 'yaml'], { description: 'Default `json`' })),
    owner: Type.Optional(OwnerText),
    kind: Type.Optional(Type.Enum([...CONFIGURATION_KINDS], { description: 'Only resources of this kind' })),
  },
  { additionalProperties: false },
)
export type ConfigurationQuery = Static<typeof ConfigurationQuery>

export const Configuration = Type.Object(
  { resources: Type.Array(Ref(ConfigurationResource)), warnings: Warnings },
  {
    $id: 'Configuration',
    description:
      'All resources as a change set takes them; secrets are `{ "from": "env:NAME" }`, ids of resources `{ "ref": … }`',
  },
)
export type Configuration = Static<typeof Configuration>

export const ConfigurationYaml = Type.String({
  $id: 'ConfigurationYaml',
  description: 'The same as documents of YAML, as files have it',
  examples: ['kind: channel\nref: mail\nspec:\n  name: Mail\n'],
})
