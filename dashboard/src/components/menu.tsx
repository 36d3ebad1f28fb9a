import { cloneElement, type FunctionComponent, lazy, Suspense, useState } from 'react'
import type { ChoiceProps, MenuProps } from './open-menu.tsx'

/** The library is a sixth of the first load, and most visits open no menu. */
const load = () => import('./open-menu.tsx')
const OpenMenu = lazy(() => load().then((module) => ({ default: module.OpenMenu })))
export const MenuItem = lazy(() => load().then((module) => ({ default: module.MenuItem })))
export const MenuLine = lazy(() => load().then((module) => ({ default: module.MenuLine })))
const Choice = lazy(() => load().then((module) => ({ default: module.MenuChoice as FunctionComponent<ChoiceProps<string>> })))

/** A choice of one; the current one is marked. */
export const MenuChoice = <Value extends string>({ onChoose, ...choice }: ChoiceProps<Value>) => (
  <Choice {...choice} onChoose={(value) => onChoose(value as Value)} />
)

/** A button that opens a menu. Until it was used it is only the button. */
export function Menu(menu: MenuProps) {
  const [isUsed, setUsed] = useState(false)
  const { trigger } = menu
  const prepare = () => void load()
  const closed = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: () => setUsed(true),
    onKeyDown: ({ key }) => key === 'ArrowDown' && setUsed(true),
  })
  if (!isUsed) return closed
  return (
    <Suspense fallback={closed}>
      <OpenMenu {...menu} />
    </Suspense>
  )
}
