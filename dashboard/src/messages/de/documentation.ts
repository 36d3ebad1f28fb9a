import type { documentation as english } from '../en/documentation.ts'
import type { Translation } from '../translation.ts'

export const documentation: Translation<typeof english> = {
  title: 'Beschreibung und Runbook',
  ofRule: 'Was die Regel sagt',
  ofTarget: 'Was beim Öffnen darüber stand',
  description: 'Beschreibung',
  descriptionHint: 'Was man wissen muss, wenn es ausfällt. Markdown mit Links, Listen und Code.',
  runbook: 'Runbook',
  runbookHint: 'Eine Seite, die sagt, was zu tun ist. Benachrichtigungen verlinken sie.',
  responsible: 'Verantwortlich',
  responsibleHint: 'Die Person oder das Team, an die man sich wendet. Niemand wird dadurch benachrichtigt.',
  links: 'Links',
  linkName: 'Name des Links',
  linkUrl: 'Adresse des Links',
  addLink: 'Link hinzufügen',
  removeLink: 'Link entfernen',
}
