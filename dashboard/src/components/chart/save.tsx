import { Download } from '../icons.tsx'
import type { RefObject } from 'react'
import { csvOf } from '../../lib/chart-csv.ts'
import { saveFile } from '../../lib/save-file.ts'
import { messages } from '../../messages/index.ts'
import { IconButton } from '../button.tsx'
import { Menu, MenuItem } from '../menu.tsx'
import type { ChartProps } from './types.ts'

const text = messages.chart
const TITLE_PX = 28

/** Saves the values of a chart as CSV, or its picture as PNG. */
export function SaveChart({ chart, host }: { chart: ChartProps; host: RefObject<HTMLElement | null> }) {
  const { title } = chart
  const name = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${new Date(chart.from).toISOString().slice(0, 16).replace(':', '')}`
  return (
    <Menu
      trigger={
        <IconButton label={text.save(title)} className="-my-2 size-7">
          <Download size={14} />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => saveFile(new Blob([csvOf(chart)], { type: 'text/csv' }), `${name}.csv`)}>{text.csv}</MenuItem>
      <MenuItem
        onSelect={() => void pictureOf(title, host.current).then((picture) => picture && saveFile(picture, `${name}.png`))}
      >
        {text.png}
      </MenuItem>
    </Menu>
  )
}

/** The canvas on the ground of the page, with the title above. */
async function pictureOf(title: string, host: HTMLElement | null): Promise<Blob | null> {
  const drawn = host?.querySelector('canvas')
  if (!drawn) return null
  const picture = document.createElement('canvas')
  const context = picture.getContext('2d')
  if (!context) return null
  const top = TITLE_PX * devicePixelRatio
  picture.width = drawn.width
  picture.height = drawn.height + top
  const style = getComputedStyle(document.body)
  context.fillStyle = getComputedStyle(document.documentElement).backgroundColor
  context.fillRect(0, 0, picture.width, picture.height)
  context.fillStyle = style.color
  context.font = `600 ${14 * devicePixelRatio}px ${style.fontFamily}`
  context.fillText(title, 8 * devicePixelRatio, 20 * devicePixelRatio)
  context.drawImage(drawn, 0, top)
  return new Promise((resolve) => picture.toBlob(resolve, 'image/png'))
}
