import { type Static, Type } from 'typebox'
import { Nullable, Ref } from './wire.ts'

const MAX_REF_LENGTH = 200

const REF = { minLength: 1, maxLength: MAX_REF_LENGTH, pattern: '^[A-Za-z0-9._/-]+$' } as const
export const RefText = Type.String({
  ...REF,
  'x-form': `1 to ${MAX_REF_LENGTH} letters, digits, dots, slashes, hyphens and underscores`,
  description: 'the name of the resource in the files, unique for owner and kind',
  examples: ['shop/checkout'],
})
export const OwnerText = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9._:/-]+$',
  'x-form': '1 to 100 letters, digits, dots, colons, slashes, hyphens and underscores',
  description: 'where the configuration comes from',
  examples: ['git:infra'],
})
export const FileText = Type.String({ minLength: 1, maxLength: 500, examples: ['monitors/shop.yaml'] })
export const Line = Type.Integer({ minimum: 1, maximum: 10_000_000, examples: [12] })

export const Managed = Type.Object(
  {
    owner: OwnerText,
    ref: RefText,
    file: Nullable(FileText),
    line: Nullable(Line),
  },
  { $id: 'Managed', description: 'Where a resource is managed' },
)
export type Managed = Static<typeof Managed>

/** On every resource of the configuration. */
export const ManagedField = Type.Union([Ref(Managed), Type.Null()], { description: 'null: made by hand' })
