import type { ChannelPreview, ChannelPreviewBody, IncidentItem } from '@vedette/shared'
import { openingOf } from './sample.ts'
import { renderTemplate, withTemplates } from './templates.ts'

/** What the opening of an incident would say with these templates; without an incident that of an example. */
export async function previewMessage(
  templates: Omit<ChannelPreviewBody, 'incident_id'>,
  incident: IncidentItem | undefined,
  publicUrl: string,
): Promise<ChannelPreview> {
  const { message, fault } = await withTemplates(openingOf(incident, publicUrl), templates, true)
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
