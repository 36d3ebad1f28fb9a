import type { ChannelPreview, ChannelPreviewBody, IncidentItem } from '@vedette/shared'
import { openingOf } from './sample.ts'
import { renderTemplate, withTemplates } from './templates.ts'

/** What the opening of an incident would say with these templates; without an incident that of an example. Pure. */
export function previewMessage(
  templates: Omit<ChannelPreviewBody, 'incident_id'>,
  incident: IncidentItem | undefined,
  publicUrl: string,
): ChannelPreview {
  const { message, fault } = withTemplates(openingOf(incident, publicUrl), templates)
  const body = templates.body_template === undefined ? undefined : renderTemplate(templates.body_template, message)
  return {
    incident_id: incident?.id ?? null,
    title: message.content.title,
    text: message.content.lines.join('\n'),
    body: body?.text ?? null,
    error: fault ?? body?.fault ?? null,
  }
}
