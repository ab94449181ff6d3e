// Cells, formats and conditions in the bodies of Sheets v4, after its discovery document.
import { any, bool, double, int32, list, object, oneOfStrings, string, union } from '../request/shape.ts';

export const color = object({ alpha: double, blue: double, green: double, red: double });
export const themeColor = oneOfStrings(
  'THEME_COLOR_TYPE_UNSPECIFIED',
  'TEXT',
  'BACKGROUND',
  'ACCENT1',
  'ACCENT2',
  'ACCENT3',
  'ACCENT4',
  'ACCENT5',
  'ACCENT6',
  'LINK',
);
export const colorStyle = object({ rgbColor: color, themeColor });
const border = object({
  color,
  colorStyle,
  style: oneOfStrings(
    'STYLE_UNSPECIFIED',
    'DOTTED',
    'DASHED',
    'SOLID',
    'SOLID_MEDIUM',
    'SOLID_THICK',
    'NONE',
    'DOUBLE',
  ),
  width: int32,
});
const textFormat = object({
  bold: bool,
  fontFamily: string,
  fontSize: int32,
  foregroundColor: color,
  foregroundColorStyle: colorStyle,
  italic: bool,
  link: object({ uri: string }),
  strikethrough: bool,
  underline: bool,
});
export const cellFormat = object({
  backgroundColor: color,
  backgroundColorStyle: colorStyle,
  borders: object({ bottom: border, left: border, right: border, top: border }),
  horizontalAlignment: oneOfStrings('HORIZONTAL_ALIGN_UNSPECIFIED', 'LEFT', 'CENTER', 'RIGHT'),
  hyperlinkDisplayType: oneOfStrings('HYPERLINK_DISPLAY_TYPE_UNSPECIFIED', 'LINKED', 'PLAIN_TEXT'),
  numberFormat: object({
    pattern: string,
    type: oneOfStrings(
      'NUMBER_FORMAT_TYPE_UNSPECIFIED',
      'TEXT',
      'NUMBER',
      'PERCENT',
      'CURRENCY',
      'DATE',
      'TIME',
      'DATE_TIME',
      'SCIENTIFIC',
    ),
  }),
  padding: object({ bottom: int32, left: int32, right: int32, top: int32 }),
  textDirection: oneOfStrings('TEXT_DIRECTION_UNSPECIFIED', 'LEFT_TO_RIGHT', 'RIGHT_TO_LEFT'),
  textFormat,
  textRotation: object({ angle: int32, vertical: bool }),
  verticalAlignment: oneOfStrings('VERTICAL_ALIGN_UNSPECIFIED', 'TOP', 'MIDDLE', 'BOTTOM'),
  wrapStrategy: oneOfStrings('WRAP_STRATEGY_UNSPECIFIED', 'OVERFLOW_CELL', 'LEGACY_WRAP', 'CLIP', 'WRAP'),
});
const conditionTypes =
  'CONDITION_TYPE_UNSPECIFIED NUMBER_GREATER NUMBER_GREATER_THAN_EQ NUMBER_LESS NUMBER_LESS_THAN_EQ NUMBER_EQ NUMBER_NOT_EQ NUMBER_BETWEEN NUMBER_NOT_BETWEEN TEXT_CONTAINS TEXT_NOT_CONTAINS TEXT_STARTS_WITH TEXT_ENDS_WITH TEXT_EQ TEXT_IS_EMAIL TEXT_IS_URL DATE_EQ DATE_BEFORE DATE_AFTER DATE_ON_OR_BEFORE DATE_ON_OR_AFTER DATE_BETWEEN DATE_NOT_BETWEEN DATE_IS_VALID ONE_OF_RANGE ONE_OF_LIST BLANK NOT_BLANK CUSTOM_FORMULA BOOLEAN TEXT_NOT_EQ DATE_NOT_EQ FILTER_EXPRESSION';
export const condition = object({
  type: oneOfStrings(...conditionTypes.split(' ')),
  values: list(
    object({
      relativeDate: oneOfStrings(
        'RELATIVE_DATE_UNSPECIFIED',
        'PAST_YEAR',
        'PAST_MONTH',
        'PAST_WEEK',
        'YESTERDAY',
        'TODAY',
        'TOMORROW',
      ),
      userEnteredValue: string,
    }),
  ),
});
export const validationRule = object({ condition, inputMessage: string, showCustomUi: bool, strict: bool });
const extendedValue = union('value', {
  boolValue: bool,
  errorValue: any,
  formulaValue: string,
  numberValue: double,
  stringValue: string,
});
export const cellData = object({
  chipRuns: any,
  dataSourceFormula: any,
  dataSourceTable: any,
  dataValidation: validationRule,
  effectiveFormat: cellFormat,
  effectiveValue: extendedValue,
  formattedValue: string,
  hyperlink: string,
  note: string,
  pivotTable: any,
  textFormatRuns: any,
  userEnteredFormat: cellFormat,
  userEnteredValue: extendedValue,
});
export const rows = list(object({ values: list(cellData) }));
export const gridRange = object({
  endColumnIndex: int32,
  endRowIndex: int32,
  sheetId: int32,
  startColumnIndex: int32,
  startRowIndex: int32,
});
