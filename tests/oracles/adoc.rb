#!/usr/bin/env ruby
# Compares the references that uriscan finds in AsciiDoc with those of Asciidoctor.
#
#     URISCAN=target/release/uriscan tests/oracles/adoc.rb TREE... [-v]
#
# Needs Asciidoctor. Includes are recorded and not read, and conditions on attributes are those of a document on
# its own. -v prints every difference; the last lines count them.
require 'asciidoctor'
require 'asciidoctor/converter/html5'
require 'json'
require 'logger'
require 'open3'

URISCAN = ENV['URISCAN'] || 'target/release/uriscan'
FOUND = []

# Records what is converted.
module Recorder
  def convert_inline_anchor(node)
    case node.type
    when :link
      FOUND << node.target.gsub('&amp;', '&').gsub('&lt;', '<').gsub('&gt;', '>')
    when :xref
      path = node.attributes['path']
      fragment = node.attributes['fragment']
      if path
        path = path.sub(/\.html\z/, '.adoc')
        FOUND << (fragment ? "#{path}##{fragment}" : path)
      else
        FOUND << "##{node.attributes['refid']}"
      end
    end
    super
  end

  def image(node)
    FOUND << node.attr('target') if node.attr('target')
    FOUND << node.attr('link') if node.attr('link') && !%w(self none).include?(node.attr('link'))
  end

  def convert_image(node)
    image(node)
    super
  end

  def convert_inline_image(node)
    FOUND << node.target if node.type == 'image'
    FOUND << node.attr('link') if node.attr('link')
    super
  end

  def convert_video(node)
    FOUND << node.attr('target') unless %w(youtube vimeo).include?(node.attr('poster'))
    super
  end

  def convert_audio(node)
    FOUND << node.attr('target')
    super
  end
end
Asciidoctor::Converter::Html5Converter.prepend(Recorder)

# Records the files of include directives.
class Includes < Asciidoctor::Extensions::IncludeProcessor
  def process(_document, reader, target, _attributes)
    FOUND << target
    reader.push_include('', target, target, 1, {})
  end
end
Asciidoctor::Extensions.register { include_processor Includes }
Asciidoctor::LoggerManager.logger.level = Logger::FATAL

verbose = ARGV.delete('-v')
paths = ARGV.flat_map { |tree| File.file?(tree) ? [tree] : Dir.glob("#{tree}/**/*.{adoc,asciidoc}").sort }
own = Hash.new { |hash, key| hash[key] = [] }
paths.each_slice(100) do |slice|
  output, = Open3.capture2(URISCAN, '--json', '--email', '-t', 'adoc', *slice)
  output.each_line do |line|
    record = JSON.parse(line)
    own[record['path']] << record['reference'] if record['type'] == 'link'
  end
end
totals = Hash.new(0)
paths.each do |path|
  FOUND.clear
  begin
    Asciidoctor.convert(File.read(path), safe: :safe, attributes: { 'linkcss' => '' }, standalone: true)
  rescue StandardError => error
    totals['failed'] += 1
    puts "#{path}: #{error.class}" if verbose
    next
  end
  theirs = FOUND.compact.tally
  ours = own[path].tally
  totals['files'] += 1
  totals['references'] += theirs.values.sum
  totals['the same'] += theirs.sum { |uri, count| [count, ours[uri] || 0].min }
  { 'only Asciidoctor' => [theirs, ours], 'only uriscan' => [ours, theirs] }.each do |name, (one, other)|
    one.each do |uri, count|
      rest = count - (other[uri] || 0)
      next unless rest.positive?
      totals[name] += rest
      puts "#{path}: #{name}: #{uri}#{rest > 1 ? " x#{rest}" : ''}" if verbose
    end
  end
end
totals.each { |name, count| puts "#{name}: #{count}" }
