SELECT encode(bytes, 'hex') FROM kenning.records WHERE path = convert_from('\x$1', 'UTF8')
