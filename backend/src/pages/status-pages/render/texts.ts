import type { PageLanguage, PostImpact, PostStatus } from '@vedette/shared'
import type { ComponentStatus, Overall, PageRegion } from '../reading/model.ts'

/** Everything that visitors read and members did not write. */
export interface PageTexts {
  overall: Record<Overall, string>
  component: Record<ComponentStatus, string>
  region: Record<PageRegion['status'], string>
  postStatus: Record<PostStatus, string>
  impact: Record<PostImpact, string>
  /** The left side of badges. */
  badge: { status: string; uptime(period: string): string; response(period: string): string }
  uptime(percent: string): string
  noChecks: string
  daysAgo: string
  today: string
  downFor(duration: string): string
  singleFailures: string
  /** Of the list of days with incidents. */
  byDay: string
  quietDays: string
  /** A day without anything, and without checks; the choice of a day. */
  quietDay: string
  chooseDay: string
  search: string
  /** Of a composite. */
  members(count: number): string
  /** Of a group. */
  some(count: number, total: number, status: string): string
  more(count: number): string
  /** `worst`: days below 100 %. */
  bars(name: string, percent: string, days: number, worst: number): string
  response(mean: string): string
  responseChart(name: string): string
  current: string
  planned: string
  recent: string
  nothingRecent: string
  history: string
  nothingIn(month: string): string
  back: string
  previous: string
  next: string
  affects: string
  from(start: string, end: string): string
  started(time: string): string
  ended(time: string): string
  readAt(time: string): string
  behind(time: string): string
  subscribe: string
  notifications: string
  calendar: string
  password: string
  unlock: string
  wrongPassword: string
  tooMany: string
  locked: string
}

const en: PageTexts = {
  overall: {
    operational: 'All systems operational',
    unknown: 'No current checks',
    maintenance: 'Under maintenance',
    degraded: 'Degraded service',
    partial_outage: 'Partial outage',
    major_outage: 'Major outage',
  },
  component: {
    operational: 'Operational',
    degraded: 'Degraded',
    down: 'Down',
    maintenance: 'Maintenance',
    paused: 'Not monitored',
    unknown: 'No current checks',
  },
  region: {
    operational: 'operational',
    degraded: 'degraded',
    down: 'down',
    inconclusive: 'inconclusive: no check counted lately',
  },
  postStatus: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
    scheduled: 'Scheduled',
    in_progress: 'In progress',
    completed: 'Completed',
  },
  impact: { none: 'No impact', minor: 'Minor impact', major: 'Major impact', critical: 'Critical impact' },
  badge: { status: 'Status', uptime: (period) => `Uptime ${period}`, response: (period) => `Response ${period}` },
  uptime: (percent) => `${percent} % uptime`,
  noChecks: 'no checks',
  daysAgo: '90 days ago',
  today: 'Today',
  downFor: (duration) => `down for ${duration}`,
  singleFailures: 'single checks failed',
  byDay: 'Incidents by day',
  quietDays: 'No incidents in the last 90 days.',
  quietDay: 'no downtime',
  chooseDay: 'Day',
  search: 'Search components',
  members: (count) => (count === 1 ? '1 member' : `${count} members`),
  some: (count, total, status) => `${count} of ${total}: ${status}`,
  more: (count) => `${count} more`,
  bars: (name, percent, days, worst) =>
    `${name}: ${percent} % uptime over 90 days, ${days} ${days === 1 ? 'day' : 'days'} with checks, ${worst} below 100 %`,
  response: (mean) => `${mean} on average over 24 hours`,
  responseChart: (name) => `Response times of ${name} over 24 hours`,
  current: 'Current incidents',
  planned: 'Maintenance',
  recent: 'Last 7 days',
  nothingRecent: 'No incidents in the last 7 days.',
  history: 'History',
  nothingIn: (month) => `No incidents in ${month}.`,
  back: 'Current status',
  previous: 'Earlier',
  next: 'Later',
  affects: 'Affects',
  from: (start, end) => `${start} to ${end}`,
  started: (time) => `Started ${time}`,
  ended: (time) => `Ended ${time}`,
  readAt: (time) => `As of ${time}`,
  behind: (time) => `This page cannot be updated right now. It shows the state of ${time}.`,
  subscribe: 'Subscribe',
  notifications: 'Notifications',
  calendar: 'Maintenance calendar',
  password: 'Password',
  unlock: 'Show the page',
  wrongPassword: 'This password is wrong.',
  tooMany: 'Too many attempts. Try again in a minute.',
  locked: 'This page needs a password.',
}

const de: PageTexts = {
  overall: {
    operational: 'Alle Systeme in Betrieb',
    unknown: 'Keine aktuellen Prüfungen',
    maintenance: 'Wartung',
    degraded: 'Eingeschränkter Betrieb',
    partial_outage: 'Teilausfall',
    major_outage: 'Größerer Ausfall',
  },
  component: {
    operational: 'In Betrieb',
    degraded: 'Eingeschränkt',
    down: 'Ausgefallen',
    maintenance: 'Wartung',
    paused: 'Nicht überwacht',
    unknown: 'Keine aktuellen Prüfungen',
  },
  region: {
    operational: 'in Betrieb',
    degraded: 'eingeschränkt',
    down: 'ausgefallen',
    inconclusive: 'ohne Ergebnis: zuletzt zählte keine Prüfung',
  },
  postStatus: {
    investigating: 'Wird untersucht',
    identified: 'Ursache gefunden',
    monitoring: 'Wird beobachtet',
    resolved: 'Behoben',
    scheduled: 'Geplant',
    in_progress: 'Läuft',
    completed: 'Abgeschlossen',
  },
  impact: { none: 'Keine Auswirkung', minor: 'Geringe Auswirkung', major: 'Große Auswirkung', critical: 'Kritische Auswirkung' },
  badge: { status: 'Status', uptime: (period) => `Verfügbarkeit ${period}`, response: (period) => `Antwortzeit ${period}` },
  uptime: (percent) => `${percent} % verfügbar`,
  noChecks: 'keine Prüfungen',
  daysAgo: 'vor 90 Tagen',
  today: 'Heute',
  downFor: (duration) => `ausgefallen für ${duration}`,
  singleFailures: 'einzelne Prüfungen fehlgeschlagen',
  byDay: 'Störungen nach Tagen',
  quietDays: 'Keine Störungen in den letzten 90 Tagen.',
  quietDay: 'kein Ausfall',
  chooseDay: 'Tag',
  search: 'Komponenten suchen',
  members: (count) => (count === 1 ? '1 Mitglied' : `${count} Mitglieder`),
  some: (count, total, status) => `${count} von ${total}: ${status}`,
  more: (count) => `${count} weitere`,
  bars: (name, percent, days, worst) =>
    `${name}: ${percent} % verfügbar über 90 Tage, ${days} ${days === 1 ? 'Tag' : 'Tage'} mit Prüfungen, ${worst} unter 100 %`,
  response: (mean) => `${mean} im Mittel über 24 Stunden`,
  responseChart: (name) => `Antwortzeiten von ${name} über 24 Stunden`,
  current: 'Aktuelle Störungen',
  planned: 'Wartung',
  recent: 'Letzte 7 Tage',
  nothingRecent: 'Keine Störungen in den letzten 7 Tagen.',
  history: 'Verlauf',
  nothingIn: (month) => `Keine Störungen im ${month}.`,
  back: 'Aktueller Stand',
  previous: 'Früher',
  next: 'Später',
  affects: 'Betrifft',
  from: (start, end) => `${start} bis ${end}`,
  started: (time) => `Begonnen ${time}`,
  ended: (time) => `Beendet ${time}`,
  readAt: (time) => `Stand ${time}`,
  behind: (time) => `Diese Seite kann gerade nicht aktualisiert werden. Sie zeigt den Stand von ${time}.`,
  subscribe: 'Abonnieren',
  notifications: 'Benachrichtigungen',
  calendar: 'Kalender der Wartungen',
  password: 'Passwort',
  unlock: 'Seite anzeigen',
  wrongPassword: 'Dieses Passwort ist falsch.',
  tooMany: 'Zu viele Versuche. Bitte in einer Minute noch einmal.',
  locked: 'Diese Seite braucht ein Passwort.',
}

export const PAGE_TEXTS: Record<PageLanguage, PageTexts> = { en, de }
