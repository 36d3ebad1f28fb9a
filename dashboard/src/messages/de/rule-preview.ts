import type { rulePreview as english } from '../en/rule-preview.ts'
import type { Translation } from '../translation.ts'

export const rulePreview: Translation<typeof english> = {
  title: 'Vorschau (letzte 7 Tage)',
  lead: 'Zeigt die Vorfälle, die diese Regel eröffnet hätte. Nichts wird gespeichert.',
  run: 'Vorschau anzeigen',
  runAgain: 'Erneut anzeigen',
  running: 'Läuft …',
  noTarget: 'Noch kein Monitor oder Server passt zu dieser Regel.',
  result: (count, targets) =>
    `${count === 0 ? 'Keine' : count.toLocaleString('de')} ${count === 1 ? 'Vorfall' : 'Vorfälle'} in 7 Tagen (${targets} ${targets === 1 ? 'Ziel' : 'Ziele'})`,
  moreTargets: 'Nur die ersten 50 Ziele nach Namen wurden ausgewertet.',
  resolution: (span) => `Auflösung: ${span}.`,
  outdated: 'Die Regel hat sich seit dieser Vorschau geändert.',
  stillOpen: 'noch offen',
  strip: (count) => `${count} Vorfälle in 7 Tagen`,
  more: (count) => `${count.toLocaleString('de')} frühere`,
}
