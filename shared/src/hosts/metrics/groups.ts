import { type TObject, type TOptional, type TSchema, Type } from 'typebox'
import { METRIC_FIELDS, METRIC_GROUPS, type MetricField, type MetricGroup } from './fields.ts'

type FieldsOf<Group extends MetricGroup, Schema extends TSchema> = { [Field in keyof (typeof METRIC_FIELDS)[Group]]: Schema }
type GroupsOf<Schema extends TSchema> = { [Group in MetricGroup]: TOptional<TObject<FieldsOf<Group, Schema>>> }

/** The fields of a group, each with the schema that `schemaOf` gives it. */
export function fieldsOf<Group extends MetricGroup, Schema extends TSchema>(
  group: Group,
  schemaOf: (field: MetricField) => Schema,
): FieldsOf<Group, Schema> {
  const fields = Object.entries(METRIC_FIELDS[group] as Record<string, MetricField>)
  // The compiler does not follow that each entry of the table became one of the result.
  return Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])) as FieldsOf<Group, Schema>
}

/** All groups with their fields; each group may be absent. */
export function groupsOf<Schema extends TSchema>(schemaOf: (field: MetricField) => Schema): GroupsOf<Schema> {
  const groups = METRIC_GROUPS.map((group) => [group, Type.Optional(Type.Object(fieldsOf(group, schemaOf)))])
  return Object.fromEntries(groups) as GroupsOf<Schema> // as above
}
