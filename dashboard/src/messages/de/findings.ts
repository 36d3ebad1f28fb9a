import type { findings as english } from '../en/findings.ts'
import type { Translation } from '../translation.ts'

export const findings: Translation<typeof english> = {
  title: 'Zustand',
  codes: {
    disk_failing: 'Datenträger fällt aus',
    array_degraded: 'Verbund unvollständig',
    pool_degraded: 'Pool unvollständig',
    filesystem_full: 'Dateisystem voll',
    inodes_full: 'Inodes aufgebraucht',
    memory_errors: 'Speicherfehler',
    temperature_critical: 'Temperatur kritisch',
    battery_low: 'Batterie der USV schwach',
    ups_on_battery: 'USV auf Batterie',
    unit_failed: 'Dienst fehlgeschlagen',
    container_oom: 'Container ohne Speicher',
    container_unhealthy: 'Container nicht gesund',
    container_restarting: 'Container startet immer wieder',
    container_exited: 'Container beendet',
    fills_soon: 'Dateisystem bald voll',
    disk_worn: 'Datenträger abgenutzt',
    pressure: 'Speicher knapp',
    kernel_limit: 'Grenze des Kernels',
    clock_off: 'Uhr falsch',
    samples_dropped: 'Messwerte verworfen',
    security_updates: 'Sicherheitsupdates stehen aus',
    reboot_required: 'Neustart nötig',
  },
  problems: (count) => `${count.toLocaleString('de')} ${count === 1 ? 'Problem' : 'Probleme'}`,
  found: (name) => `Befund: ${name}`,
  rules: {
    offer: 'Keine Regel betrifft den Zustand von Servern.',
    add: 'Standardregeln hinzufügen',
    applied: (count) => `${count.toLocaleString('de')} ${count === 1 ? 'Regel' : 'Regeln'} zum Zustand`,
    added: (count) => `${count.toLocaleString('de')} Alarmregeln hinzugefügt`,
  },
}
