import type { sources as english } from '../en/sources.ts'
import type { Translation } from '../translation.ts'

export const sources: Translation<typeof english> = {
  title: 'Auf diesem Host gefunden',
  lead: 'Ein Schalter wirkt mit den nächsten Sendungen des Agenten.',
  names: {
    containers: 'Container',
    disks: 'Zustand der Datenträger',
    units: 'Dienste',
    gpus: 'Grafikkarten',
    ups: 'USV',
  },
  what: {
    containers: 'Status, Zustand, Neustarts und Verbrauch der Container von Docker und Podman',
    disks: 'S.M.A.R.T. und das Protokoll von NVMe',
    units: 'Welche Dienste laufen und welche fehlgeschlagen sind',
    gpus: 'Auslastung, Speicher und Temperatur',
    ups: 'Ladung, Last und Restzeit, von Network UPS Tools',
  },
  locked: 'Das kann nur der Host erlauben. Dort:',
  caution: {
    containers:
      'Der Agent braucht außerdem Zugang zum Socket der Engine, und wer den hat, ist root. Die Dokumentation des Agenten zeigt einen Proxy, der nur seine Anfragen durchlässt.',
    disks: 'Dafür braucht es smartmontools 7 oder neuer.',
    ups: 'Der Name der USV steht in /etc/nut/ups.conf.',
  },
  saved: (name, isOn) => `${name}: ${isOn ? 'an' : 'aus'}`,
}
