import type { ChannelConfig, Incident } from '@vedette/shared'
import { encodeId, newId } from '../../../platform/ids.ts'
import type { Language } from '../../../platform/language/index.ts'
import type { Message } from '../messages/message.ts'
import { withTemplates } from '../messages/templates.ts'
import { incidentText, inLanguage } from '../messages/texts.ts'

/** The message about an incident as it is now, with the texts of its channel. The first line is `step`: who did what. */
export async function changedMessage(
  config: ChannelConfig,
  incident: Incident,
  step: string,
  { publicUrl, nowMs, language }: { publicUrl: string; nowMs: number; language: Language },
): Promise<Message> {
  const type = `incident.${incident.status}`
  const { message } = await withTemplates(
    {
      id: encodeId('notification', newId()),
      type,
      atMs: nowMs,
      data: { incident },
      content: inLanguage(incidentText(type, incident, 0), language),
      language,
      link: `${publicUrl}/incidents/${incident.id}`,
      actionIncident: incident.id,
    },
    config,
  )
  // A text that is too long loses its end.
  return { ...message, content: { ...message.content, lines: [step, ...message.content.lines] } }
}
