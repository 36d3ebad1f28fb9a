import type { overview as english } from '../en/overview.ts'
import type { Translation } from '../translation.ts'

const number = (count: number) => count.toLocaleString('de')
const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`

export const overview: Translation<typeof english> = {
  title: 'Übersicht',
  problems: 'Aktuelle Probleme',
  noProblems: 'Alles in Ordnung',
  monitors: 'Monitore',
  servers: 'Server',
  lastSeen: 'zuletzt gesehen',
  more: (count) => `${number(count)} weitere`,
  busiest: 'Server mit höchster Last',
  incidents: 'Alle offenen Vorfälle',
  auditLog: 'Änderungsprotokoll',
  outdated: (count, version) => `${plural(count, 'Agent', 'Agenten')} älter als ${version}`,
  activity: 'Aktivität (letzte 24 Stunden)',
  noActivity: 'Keine Aktivität.',
  all: 'Alle',
  wall: 'Wandansicht',
  grid: {
    title: 'Alles auf einen Blick',
    servers: (count) => plural(count, 'Server', 'Server'),
    monitors: (count) => plural(count, 'Monitor', 'Monitore'),
    more: (count) => `${number(count)} weitere werden nicht angezeigt.`,
  },
  checklist: {
    title: 'Erste Schritte',
    progress: (done, total) => `${done} von ${total} erledigt`,
    show: 'Zeigen',
    hide: 'Ausblenden',
    hidden: 'Erste Schritte ausgeblendet',
    done: 'erledigt',
    open: 'offen',
    addChannel: 'Kanal hinzufügen',
    steps: {
      host: 'Erster Server: der Host von Vedette',
      server: 'Ein zweiter Server',
      monitor: 'Ein erster Monitor',
      channel: 'Ein Kanal, dessen Test zugestellt wurde',
      backup: 'Eine Sicherung',
    },
    notes: {
      host: 'Vedette fügt den eigenen Host nach wenigen Sekunden zur ersten Organisation hinzu. Ist der lokale Agent aus, einen Server hinzufügen.',
      server: 'Einen Befehl mit neuem Token kopieren. Der Server erscheint hier nach wenigen Sekunden.',
      monitor: 'Prüft eine URL in festem Abstand und zeigt, wie lange jede Phase dauert.',
      channel: 'Sendet Benachrichtigungen zu Vorfällen an E-Mail, Chat oder Pager.',
      backup: 'Auf dem Host von Vedette ausführen, am besten jede Nacht. Schreibt die Installation in eine Datei und prüft sie.',
    },
    waiting: 'Registriert. Warten auf die erste Messung, höchstens eine Minute.',
    testChannel: 'Kanal testen',
  },
  empty: {
    title: 'Noch wird nichts überwacht',
    lead: 'Mit einem Server oder einer HTTP-Adresse beginnen.',
    viewerLead: 'Server und Monitore erscheinen hier, wenn Inhaber, Admins oder Mitglieder sie hinzufügen.',
    server: 'Server hinzufügen',
    serverLead: 'Einen Befehl mit neuem Token kopieren. Der Server erscheint hier nach wenigen Sekunden.',
    monitor: 'Monitor hinzufügen',
    monitorLead: 'Eine URL vor dem Speichern testen und sehen, wie lange jede Phase dauert.',
  },
}
