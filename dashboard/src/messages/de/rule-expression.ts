import type { ruleExpression as english } from '../en/rule-expression.ts'
import type { Translation } from '../translation.ts'

export const ruleExpression: Translation<typeof english> = {
  metric: 'PromQL-Ausdruck',
  field: 'Ausdruck',
  hint: 'Jede Zeitreihe der Antwort eröffnet einen Vorfall, höchstens 100. Namen darin bleiben, wie sie sind, wenn ein Server umbenannt wird.',
  every: 'Ausgewertet alle',
  target: 'Der Ausdruck sagt, um welche Server und Monitore es geht.',
  failed: (reason) => `Die letzte Auswertung schlug fehl und hat nichts eröffnet oder gelöst: ${reason}`,
  noTarget: 'Der Ausdruck ergab in 7 Tagen keine Zeitreihe.',
  moreTargets: 'Nur die ersten 1.000 Zeitreihen wurden ausgewertet.',
}
