import type { UptimeReport } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FramedDocument } from '../../components/framed-document.tsx'
import { Download } from '../../components/icons.tsx'
import { toastError } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { saveFile } from '../../lib/save-file.ts'
import { reports } from '../../messages/reports.ts'
import { reportQueryOf } from './queries.ts'
import type { ReportSearch } from './search.ts'

const text = reports

/** Saves and prints the report on display. */
export function ReportActions({ search, report }: { search: ReportSearch; report: UptimeReport | undefined }) {
  const { client } = useViewer()
  const [printed, setPrinted] = useState<{ html: string; number: number }>()
  const save = (content: string, format: 'csv' | 'json', type: string) =>
    saveFile(new Blob([content], { type }), `uptime-${report?.from.slice(0, 10)}-${report?.to.slice(0, 10)}.${format}`)
  const saveCsv = async () => save(await client.reports.uptime({ ...reportQueryOf(search), format: 'csv' }), 'csv', 'text/csv')
  const print = async () => {
    const html = await client.reports.uptime({ ...reportQueryOf(search), format: 'html' })
    // Another frame each time: the same document is printed again.
    setPrinted((last) => ({ html, number: (last?.number ?? 0) + 1 }))
  }
  return (
    <>
      <Button disabled={!report} onClick={() => void saveCsv().catch(toastError)}>
        <Download size={15} aria-hidden="true" />
        CSV
      </Button>
      <Button disabled={!report} onClick={() => save(JSON.stringify(report, undefined, 2), 'json', 'application/json')}>
        <Download size={15} aria-hidden="true" />
        JSON
      </Button>
      <Button disabled={!report} onClick={() => void print().catch(toastError)}>
        {text.print}
      </Button>
      {printed && (
        <FramedDocument
          key={printed.number}
          title={text.printed}
          html={printed.html}
          onReady={(view) => view.print()}
          isHidden
          className="pointer-events-none fixed size-px opacity-0"
        />
      )}
    </>
  )
}
