// Draws the jobs of one policy as rectangles of processors over time, to be zoomed and moved. The page loads nothing:
// the jobs are in the figure's data. The page is checked as XML, so that neither of the two characters that XML
// reserves is here.
(function () {
  'use strict';
  var SVG = 'http://www.w3.org/2000/svg';
  var LEFT = 48, BOTTOM = 36, HEIGHT = 320;
  var UNITS = [[86400, ' d'], [3600, ' h'], [60, ' min'], [1, ' s']];
  var STEPS = [1, 10, 60, 300, 900, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

  function span(seconds) {
    var unit = UNITS.find(function (unit) { return seconds >= unit[0]; }) || UNITS[3];
    return Math.round(seconds / unit[0] * 10) / 10 + unit[1];
  }

  function add(parent, name, attributes, text) {
    var node = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (text) { node.textContent = text; }
    parent.appendChild(node);
    return node;
  }

  document.querySelectorAll('[data-gantt]').forEach(function (figure) {
    var data = JSON.parse(figure.getAttribute('data-gantt'));
    var svg = figure.querySelector('svg'), place = svg.querySelector('g');
    var choice = figure.querySelector('select');
    var from = 0, to = data.length;

    function move(low, high) {
      var wide = Math.min(Math.max(high - low, 60), data.length);
      from = Math.min(Math.max(low, 0), data.length - wide);
      to = from + wide;
      draw();
    }

    function zoom(factor, at) {
      move(at - (at - from) * factor, at + (to - at) * factor);
    }

    function draw() {
      var width = Math.max(svg.clientWidth, 200), room = width - LEFT - 8, tall = HEIGHT - BOTTOM - 8;
      var x = function (time) { return LEFT + (time - from) / (to - from) * room; };
      var y = function (processor) { return 8 + tall - processor / data.procs * tall; };
      svg.setAttribute('viewBox', '0 0 ' + width + ' ' + HEIGHT);
      place.textContent = '';
      var step = STEPS.find(function (step) { return room / ((to - from) / step) > 70; }) || STEPS[12];
      var tick = Math.ceil(from / step) * step;
      while (to >= tick) {
        add(place, 'line', { x1: x(tick), x2: x(tick), y1: 8, y2: 8 + tall, stroke: '#CCCCCC' });
        add(place, 'text', { x: x(tick), y: HEIGHT - 18, 'text-anchor': 'middle' }, tick ? span(tick) : '0');
        tick += step;
      }
      [0, 0.5, 1].forEach(function (share) {
        var at = Math.round(data.procs * share);
        add(place, 'text', { x: LEFT - 6, y: y(at) + (share ? 10 : 0), 'text-anchor': 'end' }, String(at));
      });
      add(place, 'text', { x: LEFT + room / 2, y: HEIGHT - 3, 'text-anchor': 'middle' }, 'time in the window');
      data.policies[choice.selectedIndex].jobs.forEach(function (job) {
        var start = job[0], end = start + job[1];
        if (start >= to || from >= end) { return; }
        var hue = (job[4] * 47) % 360;
        var about = 'job ' + job[2] + ' of user ' + job[4] + ': waited ' + span(job[3]) + ', ran ' + span(job[1]) +
          (job[5] ? ', started ahead of the head job' : '');
        var left = Math.max(x(start), LEFT), right = Math.min(x(end), LEFT + room);
        job[6].forEach(function (low, index, places) {
          if (index % 2) { return; }
          var high = places[index + 1];
          var box = add(place, 'rect', {
            x: left, y: y(high), width: Math.max(right - left, 0.5), height: Math.max(y(low) - y(high), 0.5),
            fill: 'hsl(' + hue + ' 55% 55%)', 'fill-opacity': job[5] ? 0.9 : 0.45, stroke: 'hsl(' + hue + ' 55% 35%)',
            'stroke-width': 0.5
          });
          add(box, 'title', {}, about);
        });
      });
      add(place, 'rect', { x: LEFT, y: 8, width: room, height: tall, fill: 'none', stroke: '#000000' });
    }

    var middle = function () { return (from + to) / 2; };
    var actions = {
      nearer: function () { zoom(0.5, middle()); },
      farther: function () { zoom(2, middle()); },
      earlier: function () { move(from - (to - from) / 3, to - (to - from) / 3); },
      later: function () { move(from + (to - from) / 3, to + (to - from) / 3); },
      all: function () { move(0, data.length); }
    };
    figure.querySelectorAll('button').forEach(function (button) {
      button.addEventListener('click', actions[button.value]);
    });
    choice.addEventListener('change', draw);
    svg.addEventListener('wheel', function (event) {
      if (!event.ctrlKey) { return; }
      event.preventDefault();
      var box = svg.getBoundingClientRect();
      var at = from + (event.clientX - box.left - LEFT) / Math.max(box.width - LEFT - 8, 1) * (to - from);
      zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
    }, { passive: false });
    svg.addEventListener('pointermove', function (event) {
      if (event.buttons !== 1) { return; }
      var by = event.movementX / Math.max(svg.clientWidth - LEFT - 8, 1) * (to - from);
      move(from - by, to - by);
    });
    window.addEventListener('resize', draw);
    figure.hidden = false;
    draw();
  });
})();
