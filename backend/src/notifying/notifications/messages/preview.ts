import type { ChannelPreview, ChannelPreviewBody, IncidentItem } from '@vedette/shared'
import type { Language } from '../../../platform/language/index.ts'
import { openingOf } from './sample.ts'
import { renderTemplate, withTemplates } from './templates.ts'
import { inLanguage } from './texts.ts'

/** What the opening of an incident would say with these templates in a language; without an incident that of an example. */
export async function previewMessage(
  templates: Omit<ChannelPreviewBody, 'incident_id'>,
  incident: IncidentItem | undefined,
  { publicUrl, language }: { publicUrl: string; language: Language },
): Promise<ChannelPreview> {
  const opening = openingOf(incident, publicUrl)
  const spoken = { ...opening, content: inLanguage(opening.content, language), language }
  const { message, fault } = await withTemplates(spoken, templates, true)
  const { body_template: template } = templates
  const body = template === undefined ? undefined : await renderTemplate('body_template', template, message, true)
  return {
    incident_id: incident?.id ?? null,
    title: message.content.title,
    text: message.content.lines.join('\n'),
    body: body?.text ?? null,
    error: fault ?? body?.fault ?? null,
  }
}
