import {
  cloneElement,
  type ComponentPropsWithRef,
  type FunctionComponent,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useId,
  useRef,
  useState,
} from 'react'
import type { ChoiceProps, OpenMenuProps } from './open-menu.tsx'

/** Most visits open no menu. */
const load = () => import('./open-menu.tsx')
const OpenMenu = lazy(() => load().then((module) => ({ default: module.OpenMenu })))
export const MenuItem = lazy(() => load().then((module) => ({ default: module.MenuItem })))
export const MenuLine = lazy(() => load().then((module) => ({ default: module.MenuLine })))
const Choice = lazy(() => load().then((module) => ({ default: module.MenuChoice as FunctionComponent<ChoiceProps<string>> })))

/** A choice of one; the current one is marked. */
export const MenuChoice = <Value extends string>({ onChoose, ...choice }: ChoiceProps<Value>) => (
  <Choice {...choice} onChoose={(value) => onChoose(value as Value)} />
)

export interface MenuProps {
  /** A button. */
  trigger: ReactElement<ComponentPropsWithRef<'button'>>
  align?: 'start' | 'end'
  children: ReactNode
}

/** A button that opens a menu, which is loaded when the button is first used. */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [openedBy, setOpenedBy] = useState<OpenMenuProps['openedBy']>()
  // A press on the button takes the focus from the open menu, which closes it before the click.
  const closesWithPress = useRef(false)
  const prepare = () => void load()
  return (
    <>
      {cloneElement(trigger, {
        id,
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': openedBy !== undefined,
        onPointerEnter: prepare,
        onFocus: prepare,
        onMouseDown: () => (closesWithPress.current = openedBy !== undefined),
        onClick: ({ detail }) => {
          if (!closesWithPress.current) setOpenedBy(detail === 0 ? 'keyboard' : 'pointer')
          closesWithPress.current = false
        },
        onKeyDown: (event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpenedBy('keyboard')
        },
      })}
      {openedBy && (
        <Suspense>
          <OpenMenu labelledBy={id} button={button} openedBy={openedBy} align={align} onClose={() => setOpenedBy(undefined)}>
            {children}
          </OpenMenu>
        </Suspense>
      )}
    </>
  )
}
