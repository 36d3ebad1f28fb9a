import { CHANNEL_TYPES, type ChannelField, type ChannelText, TEMPLATE_FIELDS, type TemplateField } from '@vedette/shared/tables'

export interface ChannelFieldSpec extends ChannelField {
  name: ChannelText
}

const TYPES: Readonly<Record<string, { fields: object }>> = CHANNEL_TYPES

/** The text fields of a type. The events of a webhook are chosen apart from them; a type that the page does not know has none. */
export const channelFields = (type: string): ChannelFieldSpec[] =>
  Object.entries(TYPES[type]?.fields ?? {}).flatMap(([name, spec]) =>
    name === 'events' ? [] : [{ name: name as ChannelText, ...(spec as ChannelField) }],
  )

const TEMPLATES: ReadonlySet<string> = new Set(TEMPLATE_FIELDS)

/** Whether a field is a template, which is edited apart from the others. */
export const isTemplate = (name: string): name is TemplateField => TEMPLATES.has(name)
